export { createHttpProjection, HTTP_PATHS, type HttpPath, type HttpProjection } from "./http-projection.ts";
