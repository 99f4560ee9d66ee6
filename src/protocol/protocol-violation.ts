/** The other side sent what the protocol does not have: the connection cannot go on. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}
