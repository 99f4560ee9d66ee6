#!/usr/bin/env node
import { serve } from "./commands/serve.ts";

const [verb = "serve"] = process.argv.slice(2);

if (verb === "serve") await serve();
else {
  console.error(`There is no command ${JSON.stringify(verb)}. Try: pinhole serve`);
  process.exitCode = 2;
}
