import { expect, it } from 'vitest';
import { type CalledOperation, prepareRequest } from './request';

const parameter = { type: 'string', description: '', isRequired: false, values: [] };
const OPERATION: CalledOperation = {
  id: 'pets-update',
  method: 'PATCH',
  path: '/pets/{id}',
  summary: 'Update a pet',
  examplePath: '/pets/1',
  body: '{}',
  prefilled: '{}',
  file: null,
  isRedirect: false,
  isPublic: false,
  isSessionOnly: false,
  isChanging: true,
  confirmation: null,
  parameters: [
    { ...parameter, name: 'id', in: 'path' },
    { ...parameter, name: 'q', in: 'query' },
    { ...parameter, name: 'If-Match', in: 'header' },
  ],
};

function prepare(values: Record<string, string>, key = '') {
  return prepareRequest(OPERATION, { values, body: '{}', key });
}

it('writes what is entered to the path, the query and the headers', () => {
  const authorization = { Authorization: 'Bearer service_1' };
  const headers = { 'If-Match': '"1"', 'Content-Type': 'application/json' };
  expect(prepare({ id: 'a/$&', q: 'x y', 'If-Match': '"1"' }, ' Authorization: Bearer service_1 ')).toMatchObject({
    url: '/api/v1/pets/a%2F%24%26?q=x+y',
    init: { method: 'PATCH', body: '{}', credentials: 'omit', headers: { ...headers, ...authorization } },
  });
  expect(prepare({ id: '1' }, 'bearer service_1')).toMatchObject({ init: { headers: authorization } });
  expect(prepare({ id: '1' })).toMatchObject({
    url: '/api/v1/pets/1',
    init: { credentials: 'same-origin', headers: { 'Content-Type': 'application/json' } },
  });
});

it('says which fields can’t be sent', () => {
  expect(prepare({ id: '..', 'If-Match': '“1”' }, 'ключ')).toEqual({
    errors: { id: 'A path can’t contain .. here.', 'If-Match': 'A header can’t contain ““”.' },
    keyError: 'A header can’t contain “к”.',
  });
});
