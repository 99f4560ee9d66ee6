import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type BrowserContext, chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Where Chromium is; undefined where it is not installed. */
export function findChromium(): string | undefined {
  return [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ].find((path) => path !== undefined && existsSync(path));
}

/** Why tests in a browser are not run here; false where they are. */
export const NO_CHROMIUM: string | false =
  findChromium() === undefined && "Chromium is not installed; on Debian: apt-get install chromium";

/** Starts a browser that knows nothing from earlier runs. */
export async function startChromium(t: TestContext): Promise<BrowserContext> {
  const profile = mkdtempSync(join(tmpdir(), "pinhole-chromium-"));
  const executablePath = findChromium() ?? "";
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
  });
  t.after(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });
  return context;
}
