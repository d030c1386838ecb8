import { ById, Confirmation } from '@/lib/wire';
import { rest } from '@/server/rest/meta';
import { authedProcedure, router } from '@/server/trpc';
import { ApiKeyPage, CreateApiKey, CreatedApiKey, ListApiKeys } from './schema';
import { createApiKey, deleteApiKey, listApiKeys } from './service';

const tag = 'API keys';

export const apiKeysRouter = router({
  list: authedProcedure(ListApiKeys)
    .meta(
      rest('GET', '/api-keys', {
        tag,
        summary: 'List API keys',
        description: 'A super_admin sees all keys, others their own, a key scoped to domains those it has made.',
        isPaginated: true,
        isOpenToScopedKeys: true,
      }),
    )
    .output(ApiKeyPage)
    .query(({ ctx, input }) => listApiKeys(ctx, input)),

  create: authedProcedure(CreateApiKey)
    .meta(
      rest('POST', '/api-keys', {
        tag,
        summary: 'Create an API key',
        description:
          'The whole key is in this answer only. A key made by a key reaches no further than that one, counts against its ' +
          'rate limit too, and is revoked with it.',
        status: 201,
        audit: 'api_key.create',
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => createApiKey(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/api-keys/{id}', {
        tag,
        summary: 'Revoke an API key',
        description: 'It counts from the very next call, for the keys that it has made too.',
        audit: 'api_key.delete',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteApiKey(ctx, input)),
});
