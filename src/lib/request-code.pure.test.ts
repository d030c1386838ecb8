import { expect, it } from 'vitest';
import { curlOf, nodeOf, pythonLiteral, pythonOf } from './request-code';

const URL = 'https://mail.example/api/v1/aliases';

it('writes requests with neither a body nor a key', () => {
  const request = { method: 'GET', url: `${URL}?a=1&b=2`, body: null, isPublic: true };
  expect(curlOf(request)).toBe(`curl '${URL}?a=1&b=2'`);
  expect(nodeOf(request)).toContain(`await fetch('${URL}?a=1&b=2');`);
  expect(pythonOf(request)).not.toMatch(/method|headers|data=/);
});

it('names a method that the program would not choose itself', () => {
  const [change, removal] = [
    { method: 'PATCH', url: URL, body: '{}' },
    { method: 'DELETE', url: URL, body: null },
  ];
  expect(curlOf(change)).toContain('curl -X PATCH https');
  expect(pythonOf(change)).toContain('method="PATCH"');
  expect(curlOf(removal)).toBe(`curl -X DELETE ${URL} \\\n  -H "Authorization: Bearer $POSTROOM_KEY"`);
  expect(nodeOf(removal)).toContain("method: 'DELETE'");
});

it('writes the literals of Python outside of strings only', () => {
  expect(pythonLiteral('{ "true": [true, null, "\\"null false"], "a": false }')).toBe(
    '{ "true": [True, None, "\\"null false"], "a": False }',
  );
});
