import { type ComposeValues, requestWith } from './compose/compose-values';

/** An ES module for Node.js 20 or later without packages. It reads attachments from its working directory. */
export function nodeOf(values: ComposeValues, origin: string): string {
  const message = withFiles(values, ({ name }) => `await readFile(${JSON.stringify(name)}, 'base64')`);
  return [
    ...(values.attachments.length > 0 ? ["import { readFile } from 'node:fs/promises';", ''] : []),
    `const message = ${message};`,
    '',
    `const response = await fetch('${origin}/api/v1/send', {`,
    "  method: 'POST',",
    '  headers: {',
    "    Authorization: 'Bearer ' + process.env.POSTROOM_KEY,",
    "    'Content-Type': 'application/json',",
    '  },',
    '  body: JSON.stringify(message),',
    '});',
    'const { data, error } = await response.json();',
    "if (error) throw new Error(error.code + ': ' + error.message);",
    'console.log(data.message_id);',
  ].join('\n');
}

/** Python 3 with the standard library only. It reads attachments from its working directory. */
export function pythonOf(values: ComposeValues, origin: string): string {
  const message = withFiles(
    values,
    ({ name }) => `base64.b64encode(open(${JSON.stringify(name)}, "rb").read()).decode()`,
  );
  return [
    `import ${values.attachments.length > 0 ? 'base64, ' : ''}json, os, urllib.request`,
    '',
    `message = ${message}`,
    '',
    'request = urllib.request.Request(',
    `    "${origin}/api/v1/send",`,
    '    data=json.dumps(message).encode(),',
    '    headers={',
    '        "Authorization": "Bearer " + os.environ["POSTROOM_KEY"],',
    '        "Content-Type": "application/json",',
    '    },',
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(json.load(response)["data"]["message_id"])',
  ].join('\n');
}

/** The request as JSON, which is valid in both languages, with expressions that read the files. */
function withFiles(values: ComposeValues, read: (file: File) => string): string {
  const text = JSON.stringify(
    requestWith(values, ({ key }) => `file:${key}`),
    null,
    2,
  );
  return values.attachments.reduce((code, { key, file }) => code.replace(`"file:${key}"`, () => read(file)), text);
}
