/** A request, for the code that sends it. */
export type CodeRequest = {
  method: string;
  url: string;
  /** Sent without an API key. */
  isPublic?: boolean;
  /** The body that the code sends: JSON, or an expression in the language of the code. Null for none. */
  body: string | null;
  /** The name to save the response under, if it is a file and not JSON. */
  file?: string | null;
};

/** A POSIX shell command. @param isExpanded whether the shell runs the commands in the body, which then is escaped for it */
export function curlOf(request: CodeRequest, isExpanded = false): string {
  const { method, url, body, file } = request;
  const option = method === (body === null ? 'GET' : 'POST') ? '' : `-X ${method} `;
  const lines = [
    `curl ${file ? `-f -o ${file} ` : ''}${option}${/[?&]/.test(url) ? `'${url}'` : url}`,
    ...headersOf(request, 'Bearer $POSTROOM_KEY').map(([name, value]) => `  -H "${name}: ${value}"`),
    ...(body === null ? [] : [`  --data @- <<${isExpanded ? 'JSON' : "'JSON'"}`]),
  ];
  return [lines.join(' \\\n'), ...(body === null ? [] : [body, 'JSON'])].join('\n');
}

const NODE_ERROR = "throw new Error(error.code + ': ' + error.message);";

/** An ES module for Node.js 20 or later without packages. @param result what it prints */
export function nodeOf(request: CodeRequest, result = 'data'): string {
  const { method, url, body, file } = request;
  const headers = headersOf(request, "'Bearer ' + process.env.POSTROOM_KEY").map(([name, value]) =>
    name === 'Authorization' ? `    ${name}: ${value},` : `    '${name}': '${value}',`,
  );
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === null ? [] : ['  body: JSON.stringify(body),']),
  ];
  return [
    ...(file ? ["import { writeFile } from 'node:fs/promises';", ''] : []),
    ...(body === null ? [] : [`const body = ${body};`, '']),
    ...(options.length === 0
      ? [`const response = await fetch('${url}');`]
      : [`const response = await fetch('${url}', {`, ...options, '});']),
    ...(file
      ? [
          'if (!response.ok) {',
          '  const { error } = await response.json();',
          `  ${NODE_ERROR}`,
          '}',
          `await writeFile('${file}', response.body);`,
        ]
      : ['const { data, error } = await response.json();', `if (error) ${NODE_ERROR}`, `console.log(${result});`]),
  ].join('\n');
}

/** Python 3 with the standard library only. @param result what it prints of the data */
export function pythonOf(request: CodeRequest, { imports = '', result = '' } = {}): string {
  const { method, url, body, file } = request;
  const headers = headersOf(request, '"Bearer " + os.environ["POSTROOM_KEY"]').map(([name, value]) =>
    name === 'Authorization' ? `        "${name}": ${value},` : `        "${name}": "${value}",`,
  );
  return [
    `import ${imports}json, os, ${file ? 'shutil, ' : ''}urllib.error, urllib.request`,
    '',
    ...(body === null ? [] : [`body = ${body}`, '']),
    'request = urllib.request.Request(',
    `    "${url}",`,
    ...(method === (body === null ? 'GET' : 'POST') ? [] : [`    method="${method}",`]),
    ...(body === null ? [] : ['    data=json.dumps(body).encode(),']),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ')',
    'try:',
    ...(file
      ? [
          `    with urllib.request.urlopen(request) as response, open("${file}", "wb") as file:`,
          '        shutil.copyfileobj(response, file)',
        ]
      : [
          '    with urllib.request.urlopen(request) as response:',
          `        print(json.load(response)["data"]${result})`,
        ]),
    'except urllib.error.HTTPError as response:',
    '    error = json.load(response)["error"]',
    '    raise SystemExit(error["code"] + ": " + error["message"])',
  ].join('\n');
}

function headersOf({ isPublic, body }: CodeRequest, authorization: string): [name: string, value: string][] {
  return [
    ...(isPublic ? [] : [['Authorization', authorization] as [string, string]]),
    ...(body === null ? [] : [['Content-Type', 'application/json'] as [string, string]]),
  ];
}

const PYTHON_LITERALS: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

/** Returns JSON as an expression of Python. */
export function pythonLiteral(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) => PYTHON_LITERALS[token] ?? token);
}
