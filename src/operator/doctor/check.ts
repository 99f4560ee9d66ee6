/** One finding of `pinhole doctor`. */
export interface Finding {
  /** Subject: `config`, `github`, `clock`. */
  readonly about: string;
  readonly level: "fine" | "note" | "wrong";
  readonly text: string;
  /** Advice: a whole sentence. */
  readonly advice?: string;
}

/** A finding that all is well. */
export function fine(about: string, text: string): Finding {
  return { about, level: "fine", text };
}

/** A finding that may be intended. */
export function note(about: string, text: string, advice: string): Finding {
  return { about, level: "note", text, advice };
}

/** A finding that keeps the gateway, or a part of it, from working. */
export function wrong(about: string, text: string, advice: string): Finding {
  return { about, level: "wrong", text, advice };
}
