export { EventParser, EventTooLarge, readEvents, type ServerEvent } from "./event-parser.ts";
