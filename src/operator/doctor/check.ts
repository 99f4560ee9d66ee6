/** One thing that was looked at, and how it is. */
export interface Check {
  /** What it is about: `config`, `github`, `clock`. */
  readonly about: string;
  readonly level: "fine" | "note" | "wrong";
  readonly text: string;
  /** What to do about it: a whole sentence. */
  readonly advice?: string;
}

/** Something that is as it should be. */
export function fine(about: string, text: string): Check {
  return { about, level: "fine", text };
}

/** Something that may be meant so, or not. */
export function note(about: string, text: string, advice: string): Check {
  return { about, level: "note", text, advice };
}

/** Something that keeps the gateway, or a part of it, from working. */
export function wrong(about: string, text: string, advice: string): Check {
  return { about, level: "wrong", text, advice };
}
