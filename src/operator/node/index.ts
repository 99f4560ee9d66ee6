export {
  ACTIONS,
  type ActionAnswer,
  createRemoteNode,
  type McpPost,
  mcpMessageOf,
  type PinholeNode,
  UnreachableNode,
} from "./remote-node.ts";
