import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate for this machine, signed by itself, and its key. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = "06082a8648ce3d040302";
const COMMON_NAME = "0603550403";
const SUBJECT_ALT_NAME = "0603551d11";

/** Makes a certificate for localhost and 127.0.0.1 that is valid for a day. */
export function makeCertificate(commonName = "localhost"): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, hex(ECDSA_WITH_SHA256));
  const name = der(0x30, der(0x31, der(0x30, hex(COMMON_NAME), der(0x0c, Buffer.from(commonName)))));
  const alternatives = der(0x30, der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])));
  const content = der(
    0x30,
    der(0xa0, hex("020102")),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(0x30, utcTime(Date.now() - 3_600_000), utcTime(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, der(0x30, hex(SUBJECT_ALT_NAME), der(0x04, alternatives)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey));
  const whole = der(0x30, content, algorithm, signature).toString("base64");
  const lines = whole.match(/.{1,64}/g)?.join("\n") ?? "";
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** One value of ASN.1 in DER. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, "hex");
}

function utcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(digits.slice(2)));
}
