import * as code from '@/lib/request-code';
import { type ComposeValues, requestWith } from './compose/compose-values';

/** A POSIX shell command that sends the form's message. It reads attachments from its working directory. */
export function curlOf(values: ComposeValues, origin: string): string {
  const hasFiles = values.attachments.length > 0;
  const body = jsonOf(values);
  return code.curlOf(sendingTo(origin, hasFiles ? withCommands(body, values) : body), hasFiles);
}

// An unquoted here-document runs the commands in it, so all other special characters are escaped.
function withCommands(body: string, { attachments }: ComposeValues): string {
  const escaped = body.replace(/[\\$`]/g, '\\$&');
  return attachments.reduce(
    (text, { key, file }) => text.replace(`file:${key}`, () => `$(base64 < ${quoted(file.name)} | tr -d '\\n')`),
    escaped,
  );
}

function quoted(name: string): string {
  const path = name.startsWith('-') ? `./${name}` : name;
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/** An ES module for Node.js. It reads attachments from its working directory. */
export function nodeOf(values: ComposeValues, origin: string): string {
  const message = withFiles(values, ({ name }) => `await readFile(${JSON.stringify(name)}, 'base64')`);
  const imports = values.attachments.length > 0 ? "import { readFile } from 'node:fs/promises';\n\n" : '';
  return imports + code.nodeOf(sendingTo(origin, message), 'data.message_id');
}

/** A Python program. It reads attachments from its working directory. */
export function pythonOf(values: ComposeValues, origin: string): string {
  const message = withFiles(
    values,
    ({ name }) => `base64.b64encode(open(${JSON.stringify(name)}, "rb").read()).decode()`,
  );
  const imports = values.attachments.length > 0 ? 'base64, ' : '';
  return code.pythonOf(sendingTo(origin, message), { imports, result: '["message_id"]' });
}

function sendingTo(origin: string, body: string): code.CodeRequest {
  return { method: 'POST', url: `${origin}/api/v1/send`, body };
}

/** The request as JSON, which is valid in both languages, with expressions that read the files. */
function withFiles(values: ComposeValues, read: (file: File) => string): string {
  return values.attachments.reduce(
    (text, { key, file }) => text.replace(`"file:${key}"`, () => read(file)),
    jsonOf(values),
  );
}

function jsonOf(values: ComposeValues): string {
  return JSON.stringify(
    requestWith(values, ({ key }) => `file:${key}`),
    null,
    2,
  );
}
