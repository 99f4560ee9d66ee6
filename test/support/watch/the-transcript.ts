import { createTranscript, type Transcript } from "./transcript.ts";

/** The transcript of this run. */
export const transcript: Transcript = createTranscript();
