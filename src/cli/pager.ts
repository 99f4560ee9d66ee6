import { spawn } from "node:child_process";

/** Shows a long text through $PAGER, or less; false without a pager, or with an empty `PAGER=`. */
export function page(text: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const { PAGER: pager = "less" } = env;
  if (pager === "" || process.platform === "win32") return Promise.resolve(false);
  return new Promise((done) => {
    // As other programs do it: a text that fits the screen is not paged.
    const child = spawn(pager, {
      shell: true,
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", ...env },
    });
    child.on("error", () => done(false));
    // 127: the shell found no such program.
    child.on("close", (code) => done(code !== 127));
    // Leaving the pager early is not an error.
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
