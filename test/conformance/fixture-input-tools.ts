import {
  acceptedContent,
  type ClientCapabilities,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type FixtureTool, fixtureTool, type RunTool, saying } from "./fixture-tool.ts";

interface Step {
  readonly step: number;
}

/** Signs the state of a call between its rounds. */
export const ROUNDS = createRequestStateCodec<Step>({
  key: "a key for tests that is thirty-two bytes or longer",
  bind: (context) => context.mcpReq.method,
});

/** A form with one required field of text. */
export function formWith(field: string) {
  return { type: "object" as const, properties: { [field]: { type: "string" as const } }, required: [field] };
}

type Form = ElicitRequestFormParams["requestedSchema"];

const ask = (message: string, requestedSchema: Form) => inputRequired.elicit({ message, requestedSchema });
const askName = () => ask("What is your name?", formWith("name"));
const sample = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 100,
  });

/** The tools that ask their client for something. */
export const INPUT_TOOLS: readonly FixtureTool[] = [
  fixtureTool("test_input_required_result_elicitation", askForName),
  fixtureTool("test_streaming_elicitation", askForName),
  fixtureTool("test_input_required_result_sampling", (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return saying(JSON.stringify(answer.result.content));
    return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?") } });
  }),
  fixtureTool("test_input_required_result_list_roots", (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return saying(answer.roots.map(({ uri }) => uri).join(", "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  }),
  fixtureTool("test_input_required_result_request_state", confirmOnce),
  fixtureTool("test_input_required_result_tampered_state", confirmOnce),
  fixtureTool("test_input_required_result_multiple_inputs", async (_args, context) => {
    const given = context.mcpReq.inputResponses ?? {};
    const wanted = {
      user_name: askName(),
      greeting: sample("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    };
    if (Object.keys(wanted).every((key) => key in given)) return saying("all inputs received");
    return inputRequired({ inputRequests: wanted, requestState: await ROUNDS.mint({ step: 1 }, context) });
  }),
  fixtureTool("test_input_required_result_multi_round", async (_args, context) => {
    const { step = 0 } = context.mcpReq.requestState<Step>() ?? {};
    if (step === 2) return saying("done");
    return inputRequired({
      inputRequests:
        step === 0
          ? { step1: ask("Step 1: What is your name?", formWith("name")) }
          : { step2: ask("Step 2: What is your favorite color?", formWith("color")) },
      requestState: await ROUNDS.mint({ step: step + 1 }, context),
    });
  }),
  fixtureTool("test_input_required_result_capabilities", (_args, context) => {
    const { sampling, elicitation } = capabilitiesOf(context);
    return inputRequired({
      inputRequests: {
        ...(sampling && { greeting: sample("Generate a greeting") }),
        ...(elicitation && { user_name: askName() }),
      },
    });
  }),
  fixtureTool("test_missing_capability", (_args, context) => {
    if (capabilitiesOf(context).sampling) return saying("The client can sample.");
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  }),
  ...serverRequestTools(),
];

/** Those of 2025-11-25: the server asks while the call is open, which takes a session. */
function serverRequestTools(): readonly FixtureTool[] {
  const titled = (word: string) =>
    ["First", "Second", "Third"].map((title, index) => ({
      const: `value${index + 1}`,
      title: `${title} ${word}`,
    }));
  const options = ["option1", "option2", "option3"];
  return [
    fixtureTool(
      "test_sampling",
      (args, { mcpReq }) => {
        const answer = inputResponse(mcpReq.inputResponses, "answer");
        if (answer.kind === "sampling")
          return saying(`LLM response: ${JSON.stringify(answer.result.content)}`);
        return inputRequired({ inputRequests: { answer: sample(String(args.prompt)) } });
      },
      formWith("prompt"),
    ),
    fixtureTool(
      "test_elicitation",
      asking({
        type: "object",
        properties: { username: { type: "string" }, email: { type: "string" } },
        required: ["username", "email"],
      }),
      formWith("message"),
    ),
    fixtureTool(
      "test_elicitation_sep1034_defaults",
      asking({
        type: "object",
        properties: {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
      }),
    ),
    fixtureTool(
      "test_elicitation_sep1330_enums",
      asking({
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: options },
          titledSingle: { type: "string", oneOf: titled("Option") },
          legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
          untitledMulti: { type: "array", items: { type: "string", enum: options } },
          titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
        },
      }),
    ),
  ];
}

function asking(form: Form): RunTool {
  return (args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "answer");
    if (answer.kind !== "elicit") {
      return inputRequired({
        inputRequests: { answer: ask(String(args.message ?? "Please answer."), form) },
      });
    }
    return saying(
      `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`,
    );
  };
}

function askForName(_args: unknown, { mcpReq }: ServerContext) {
  const name = acceptedContent(mcpReq.inputResponses, "user_name")?.name;
  return typeof name === "string"
    ? saying(`Hello, ${name}!`)
    : inputRequired({ inputRequests: { user_name: askName() } });
}

async function confirmOnce(_args: unknown, context: ServerContext) {
  if (context.mcpReq.requestState<Step>()) return saying("state-ok");
  return inputRequired({
    inputRequests: {
      confirm: ask("Please confirm.", { type: "object", properties: { ok: { type: "boolean" } } }),
    },
    requestState: await ROUNDS.mint({ step: 1 }, context),
  });
}

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope = (mcpReq.envelope ?? {}) as Record<string, ClientCapabilities | undefined>;
  return envelope["io.modelcontextprotocol/clientCapabilities"] ?? {};
}
