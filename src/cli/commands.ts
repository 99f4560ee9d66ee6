import type { Command } from "./command.ts";
import { add } from "./commands/add.ts";
import { batch } from "./commands/batch.ts";
import { call } from "./commands/call.ts";
import { completion } from "./commands/completion.ts";
import { configSchema } from "./commands/config-schema.ts";
import { connect } from "./commands/connect.ts";
import { doctor } from "./commands/doctor.ts";
import { importClient } from "./commands/import.ts";
import { init } from "./commands/init.ts";
import { lock } from "./commands/lock.ts";
import { login } from "./commands/login.ts";
import { remove } from "./commands/remove.ts";
import { schema } from "./commands/schema.ts";
import { search } from "./commands/search.ts";
import { serve } from "./commands/serve.ts";
import { skill } from "./commands/skill.ts";
import { subscribe } from "./commands/subscribe.ts";
import { surface } from "./commands/surface.ts";
import { token } from "./commands/token.ts";

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
