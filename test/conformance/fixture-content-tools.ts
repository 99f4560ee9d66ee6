import type { ServerContext } from "@modelcontextprotocol/server";
import { type FixtureTool, fixtureTool, PNG, saying, WAV } from "./fixture-tool.ts";

const IMAGE = { type: "image", data: PNG, mimeType: "image/png" } as const;

/** The tools that only answer: every kind of content, errors, progress and logging. */
export const CONTENT_TOOLS: readonly FixtureTool[] = [
  fixtureTool("test_simple_text", () => saying("This is a simple text response for testing.")),
  fixtureTool("test_image_content", () => ({ content: [IMAGE] })),
  fixtureTool("test_audio_content", () => ({
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  })),
  fixtureTool("test_embedded_resource", () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  })),
  fixtureTool("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      IMAGE,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      },
    ],
  })),
  fixtureTool("test_error_handling", () => ({
    ...saying("This tool intentionally returns an error for testing"),
    isError: true,
  })),
  fixtureTool("test_tool_with_progress", async (_args, context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken: progressToken as string | number, progress, total: 100 };
      await context.mcpReq.notify({ method: "notifications/progress", params });
    }
    return saying("done");
  }),
  fixtureTool("test_tool_with_logging", (_args, context) => logThrice(context)),
  fixtureTool("test_logging_tool", (_args, context) => logThrice(context)),
  fixtureTool("json_schema_2020_12_tool", (args) => saying(JSON.stringify(args)), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
];

async function logThrice(context: ServerContext) {
  for (const step of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await context.mcpReq.log("info", step);
  }
  return saying("logged");
}
