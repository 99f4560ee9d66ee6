import type { Command } from "./command.ts";
import { add } from "./commands/add/index.ts";
import { batch } from "./commands/batch/index.ts";
import { call } from "./commands/call/index.ts";
import { completion } from "./commands/completion/index.ts";
import { configSchema } from "./commands/config-schema/index.ts";
import { connect } from "./commands/connect/index.ts";
import { doctor } from "./commands/doctor/index.ts";
import { importClient } from "./commands/import/index.ts";
import { init } from "./commands/init/index.ts";
import { lock } from "./commands/lock/index.ts";
import { login } from "./commands/login/index.ts";
import { remove } from "./commands/remove/index.ts";
import { schema } from "./commands/schema/index.ts";
import { search } from "./commands/search/index.ts";
import { serve } from "./commands/serve/index.ts";
import { skill } from "./commands/skill/index.ts";
import { subscribe } from "./commands/subscribe/index.ts";
import { surface } from "./commands/surface/index.ts";
import { token } from "./commands/token/index.ts";

/** All commands, in the order in which a newcomer needs them. Their work is loaded when they run. */
export const COMMANDS: readonly Command[] = [
  init,
  add,
  remove,
  importClient,
  serve,
  connect,
  search,
  schema,
  call,
  batch,
  subscribe,
  surface,
  doctor,
  skill,
  token,
  login,
  lock,
  configSchema,
  completion,
];
