export {
  createHttpProjection,
  HTTP_PATHS,
  type HttpPath,
  type HttpProjection,
  refuse,
  toErrorResponse,
} from "./http-projection.ts";
