const MOST_HOPS = 10;

/**
 * A browser with cookies that follows redirects until it is sent back to the client; answers the address that it would open
 * there, with what it brings.
 */
export async function browse(page: URL): Promise<URL> {
  const back = page.searchParams.get("redirect_uri") ?? "";
  const cookies = new Map<string, string>();
  let at = page;
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`${at.pathname} answered ${response.status}: ${await response.text()}`);
    at = new URL(location, at);
    if (at.href.startsWith(back)) return at;
  }
  throw new Error("The browser was sent around in circles.");
}
