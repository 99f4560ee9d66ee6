export { checkArguments, runAction } from "./actions.ts";
export { CORE_FACET, type Facet } from "./facet.ts";
export { HTTP_CONTRACT_VERSION } from "./http-contract.ts";
export { HTTP_STATUS, httpStatusOf, WITHOUT_IDENTITY } from "./http-status.ts";
export {
  type ActionName,
  CONTRACT,
  PARTS,
  SERVICES,
  TOOL_NAMES,
  type ToolName,
  TYPE_FILTER,
} from "./shapes.ts";
