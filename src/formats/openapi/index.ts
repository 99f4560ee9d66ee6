export { DocumentRefused } from "./check-document.ts";
export { BODY_KEY } from "./input-of.ts";
export { essenceOf, isBytes, mediaKindOf } from "./media-type.ts";
export type {
  ApiBody,
  ApiDocument,
  ApiError,
  ApiOperation,
  ApiParameter,
  ApiWarning,
  FieldEncoding,
  ParameterStyle,
  SecurityScheme,
} from "./model.ts";
export { safe as safeName } from "./operation-names.ts";
export { readDocument, readingSteps } from "./read-document.ts";
export { type DocumentFiles, filesNamedIn } from "./references.ts";
