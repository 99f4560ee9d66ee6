export {
  createHttpProjection,
  type HttpCaller,
  type HttpProjection,
  type HttpProjectionOptions,
} from "./http-projection.ts";
export { HTTP_PATHS, type HttpPath } from "./routes.ts";
