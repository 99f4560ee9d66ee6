const LONGEST_MS = 86_400_000;
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d GMT$/;

/** How long a service asks to wait, at most a day: seconds or a date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  const value = text?.trim();
  if (value === undefined) return undefined;
  const milliseconds = /^\d{1,12}$/.test(value)
    ? Number(value) * 1000
    : HTTP_DATE.test(value)
      ? Date.parse(value) - now
      : Number.NaN;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(milliseconds, 0), LONGEST_MS);
}
