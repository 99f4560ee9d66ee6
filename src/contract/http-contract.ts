/**
 * The version of the plain HTTP side: its addresses, their inputs and answers. By semantic versioning: a program written
 * for one major version works with every later minor one, whatever the version of the gateway.
 */
export const HTTP_CONTRACT_VERSION = "1.0.0";
