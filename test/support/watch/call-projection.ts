import { createCallProjection as create } from "../../../src/projections/to-call/call-projection.ts";
import { transcript } from "./transcript.ts";

export * from "../../../src/projections/to-call/call-projection.ts";

/** The call protocol of the product; everything that it sends to those who connect is noted. */
export const createCallProjection: typeof create = (options) => {
  const projection = create(options);
  const { accept } = projection;
  projection.accept = (transport, opener) =>
    accept(
      {
        open: (receiver) => transport.open(receiver),
        close: (reason) => {
          transcript.gaveAway(reason.message);
          transport.close(reason);
        },
        send: (text) => {
          transcript.gaveAway(text);
          return transport.send(text);
        },
      },
      opener,
    );
  return projection;
};
