import {
  acceptedContent,
  type GetPromptResult,
  inputRequired,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import { formWith } from "./fixture-input-tools.ts";
import { PNG } from "./fixture-tool.ts";

type Content = GetPromptResult["messages"][number]["content"];

const PROMPTS: readonly Prompt[] = [
  listed("test_simple_prompt"),
  listed("test_prompt_with_arguments", "arg1", "arg2"),
  listed("test_prompt_with_embedded_resource", "resourceUri"),
  listed("test_prompt_with_image"),
  listed("test_input_required_result_prompt"),
];

/** Gives a server the prompts that the suite asks for. */
export function addPrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({ prompts: [...PROMPTS] }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const { arg1, arg2, resourceUri = "" } = params.arguments ?? {};
    switch (params.name) {
      case "test_simple_prompt":
        return prompting(text("This is a simple prompt for testing."));
      case "test_prompt_with_arguments":
        return prompting(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`));
      case "test_prompt_with_embedded_resource":
        return prompting(
          {
            type: "resource",
            resource: {
              uri: resourceUri,
              mimeType: "text/plain",
              text: "Embedded resource content for testing.",
            },
          },
          text("Please process the embedded resource above."),
        );
      case "test_prompt_with_image":
        return prompting(
          { type: "image", data: PNG, mimeType: "image/png" },
          text("Please analyze the image above."),
        );
      case "test_input_required_result_prompt": {
        const answer = acceptedContent(mcpReq.inputResponses, "user_context");
        if (answer) return prompting(text(`The context is ${answer.context}.`));
        const message = "What context should the prompt use?";
        return inputRequired({
          inputRequests: {
            user_context: inputRequired.elicit({ message, requestedSchema: formWith("context") }),
          },
        });
      }
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${params.name}.`);
    }
  });
}

function listed(name: string, ...required: readonly string[]): Prompt {
  const taken = required.map((argument) => ({ name: argument, required: true }));
  return { name, description: `What the suite calls ${name}.`, arguments: taken };
}

function text(words: string): Content {
  return { type: "text", text: words };
}

function prompting(...contents: readonly Content[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}
