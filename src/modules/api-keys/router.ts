import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { apiKeyList } from './lists';
import { ApiKey, ApiKeyFilters, CreateApiKey, CreatedApiKey } from './schema';
import { createApiKey, deleteApiKey, listApiKeys } from './service';

const tag = 'API keys';
const rest = restOf(tag);

const apiKeys = listProcedures(apiKeyList, {
  procedure: authedProcedure,
  item: ApiKey,
  filters: ApiKeyFilters,
  find: listApiKeys,
  tag,
  description:
    'A super_admin sees all keys, other admins their own, and a key scoped to domains the keys created with it.',
  isOpenToScopedKeys: true,
});

export const apiKeysRouter = router({
  list: apiKeys.list,

  create: authedProcedure(CreateApiKey)
    .meta(
      rest('POST', '/api-keys', {
        summary: 'Create an API key',
        description:
          'The full key is returned only in this response. A key created with another key has no more access than that key, ' +
          'also counts toward its rate limit, and is revoked with it.',
        status: 201,
        audit: 'api_key.create',
        confirmation: 'Creates a key that gives access to the API. The response shows it.',
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => createApiKey(ctx, input)),

  export: apiKeys.export,

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/api-keys/{id}', {
        summary: 'Revoke an API key',
        description: 'Takes effect immediately. Also revokes all keys created with it.',
        audit: 'api_key.delete',
        confirmation: 'Applications that use the key lose access immediately.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteApiKey(ctx, input)),
});
