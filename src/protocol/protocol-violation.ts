/** Thrown for input that violates the protocol: the connection must close. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

/** The other side sent an envelope of one call that takes too long to read: only that call cannot go on. */
export class CostlyEnvelope extends ProtocolViolation {
  readonly type: "call.requested" | "call.responded";
  readonly id: string;

  constructor(message: string, { type, id }: Pick<CostlyEnvelope, "type" | "id">) {
    super(message);
    this.type = type;
    this.id = id;
  }
}
