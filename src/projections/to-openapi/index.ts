export {
  createHttpProjection,
  HTTP_PATHS,
  type HttpPath,
  type HttpProjection,
  refuse,
} from "./http-projection.ts";
