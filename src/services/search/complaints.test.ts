import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineOperation, definePlugin, type Registration, type SpecDraft } from "../../core/index.ts";
import { createRuntime } from "../../runtime.ts";

type Draft = Omit<SpecDraft, "type">;

function operation(draft: Draft): Registration {
  return { ...defineOperation({ ...draft, type: "query", handler: () => null }), provenance: "from-mcp" };
}

const OPERATIONS = [
  operation({ name: "bing/search", description: "使用必应搜索指定的关键词，并返回搜索结果列表" }),
  operation({ name: "trains/tickets", description: "查询12306火车票余票信息" }),
  operation({ name: "buero/rechnung_anlegen", description: "Legt eine neue Rechnung für einen Kunden an." }),
  operation({ name: "buero/benutzer_loeschen", description: "Löscht ein Benutzerkonto endgültig." }),
  operation({
    name: "wetter/vorhersage",
    description: "Die Wettervorhersage für die nächsten Tage in München.",
  }),
  operation({ name: "cafe/menu", description: "Affiche la carte du café à l'élève." }),
  operation({ name: "github/create_issue", description: "Opens a new issue in a repository." }),
  operation({ name: "github/list_repositories", description: "Lists the repositories of an owner." }),
  operation({ name: "github/deleteBranch", description: "Removes a branch." }),
  operation({ name: "mail/send", description: "Sends an email to somebody." }),
  operation({ name: "files/convert", description: "Converts a video to MP4 or H264." }),
  operation({ name: "bare/ping_host", description: "" }),
];

async function search(query: string, operations: readonly Registration[] = OPERATIONS, limit = 10) {
  const { dispatch } = createRuntime({ sources: [definePlugin({ name: "all", operations })] });
  const answer = (await dispatch.invoke({ operation: "services/search", input: { query, limit } })) as {
    operations: { name: string; description: string }[];
    total: number;
    note?: string;
  };
  return { ...answer, names: answer.operations.map(({ name }) => name) };
}

const firsts: readonly (readonly [complaint: string, query: string, first: string])[] = [
  ["a Chinese query finds a Chinese description", "搜索关键词", "bing/search"],
  ["a Chinese query that shares only a part of its words", "我想买火车票", "trains/tickets"],
  ["full-width letters are letters", "ｓｅｎｄ ｅｍａｉｌ", "mail/send"],
  ["an umlaut is found as it is written", "Benutzer löschen", "buero/benutzer_loeschen"],
  ["an umlaut is found when it is written with an e", "loescht Benutzerkonto", "buero/benutzer_loeschen"],
  ["an umlaut is found without its dots", "Wetter Munchen", "wetter/vorhersage"],
  ["a German compound is found by its beginning", "Rechnungsvorlage", "buero/rechnung_anlegen"],
  ["the beginning of a German compound finds it", "Vorher", "wetter/vorhersage"],
  ["accents may be left out", "carte eleve", "cafe/menu"],
  ["one word is enough", "email", "mail/send"],
  ["a plural finds the singular", "issues", "github/create_issue"],
  ["a singular finds the plural", "repository owner list", "github/list_repositories"],
  ["verb forms are one word", "sending emails", "mail/send"],
  ["camelCase is two words", "delete branch", "github/deleteBranch"],
  ["an exact name comes first", "create_issue", "github/create_issue"],
  ["an exact name comes first in another spelling", "createIssue", "github/create_issue"],
  ["an exact name comes first with its namespace", "/github/create_issue", "github/create_issue"],
  ["a name with a slip in it is found", "crate_isue", "github/create_issue"],
  ["numbers in words are found", "h264", "files/convert"],
  ["an operation without description is found by its name", "ping a host", "bare/ping_host"],
];

describe("search handles what users of other gateways complained about", () => {
  for (const [complaint, query, first] of firsts) {
    test(`${complaint}: ${query}`, async () => {
      assert.equal((await search(query)).names[0], first);
    });
  }

  test("a very long query still finds what it is about", async () => {
    const story = "Yesterday we talked about many things and nothing was decided. ".repeat(400);
    assert.equal(
      (await search(`Create an issue in the repository. ${story}`)).names[0],
      "github/create_issue",
    );
    assert.ok((await search("word ".repeat(50_000))).names.length >= 0);
  });

  test("500 operations that fit equally well come page by page, each of them once", async () => {
    const operations = Array.from({ length: 500 }, (_, number) =>
      operation({ name: `a/read_item_${999 - number}`, description: "Reads an item of the store." }),
    );
    for (const dense of [false, true]) {
      const sources = [definePlugin({ name: "all", operations })];
      const { dispatch } = createRuntime({ sources, search: { dense } });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const input = { query: "read an item of the store", limit: 50, ...(cursor && { cursor }) };
        const page = (await dispatch.invoke({ operation: "services/search", input })) as {
          operations: { name: string }[];
          nextCursor?: string;
        };
        seen.push(...page.operations.map(({ name }) => name).filter((name) => name.startsWith("a/")));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.equal(new Set(seen).size, 500);
      assert.equal(seen.length, 500);
    }
  });

  test("among 500 operations with nearly equal names the asked one is first", async () => {
    const many = Array.from({ length: 500 }, (_, number) =>
      operation({
        name: `crm/get_customer_field_${number}`,
        description: `Reads field ${number} of a customer.`,
      }),
    );
    for (const number of [0, 7, 77, 499]) {
      assert.equal(
        (await search(`customer field ${number}`, many)).names[0],
        `crm/get_customer_field_${number}`,
      );
      assert.equal(
        (await search(`get_customer_field_${number}`, many)).names[0],
        `crm/get_customer_field_${number}`,
      );
    }
  });

  test("a description of 50 KB neither wins by its length nor fills the reply", async () => {
    const long = operation({
      name: "bulk/manual",
      description: `The manual. ${"It tells of issues, repositories, emails and branches. ".repeat(1_000)}`,
    });
    const { names, operations } = await search("create an issue", [...OPERATIONS, long]);
    assert.equal(names[0], "github/create_issue");
    const shown = operations.find(({ name }) => name === "bulk/manual");
    assert.ok((shown?.description.length ?? 0) <= 200);
  });

  test("text that stuffs keywords does not push out what is meant", async () => {
    const stuffed = operation({
      name: "spam/best_tool",
      description: `${"send email send email mail sender emails issue create issue repository branch ".repeat(60)}`,
      tags: ["send", "email", "issue", "create"],
    });
    assert.equal((await search("send an email", [...OPERATIONS, stuffed])).names[0], "mail/send");
    assert.equal((await search("create an issue", [...OPERATIONS, stuffed])).names[0], "github/create_issue");
  });

  test("a query of stop words alone still finds something", async () => {
    for (const query of ["the", "what is it", "?!", "🙂", "\u0000", "=", "a".repeat(10_000)]) {
      assert.ok(Array.isArray((await search(query)).names));
    }
  });

  test("an answer that is probably none says so and names namespaces to look in", async () => {
    const { note, names } = await search("quantum chromodynamics lattice simulation");
    assert.match(
      note ?? "",
      names.length > 0 ? /^Nothing fits well\. The nearest namespaces: / : /^Nothing found/,
    );
    assert.equal((await search("create an issue")).note, undefined);
  });
});
