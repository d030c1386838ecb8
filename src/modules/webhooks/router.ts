import { ById, Confirmation } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { adminProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { getDelivery, listDeliveries, replayDelivery, replayFailed, testWebhook } from './deliveries';
import { exportWebhooks } from './export';
import { exportDeliveries } from './export-deliveries';
import {
  ByDelivery,
  CreatedWebhook,
  CreateWebhook,
  Delivery,
  DeliveryPage,
  DeliveryRequest,
  ExportDeliveries,
  ExportWebhooks,
  ListDeliveries,
  ListWebhooks,
  Replayed,
  ReplayFailed,
  RotatedSecret,
  RotateSecret,
  TestWebhook,
  UpdateWebhook,
  Webhook,
  WebhookPage,
} from './schema';
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, rotateSecret, updateWebhook } from './service';

const tag = 'Webhooks';
const record = versioned('webhook', getWebhook);
const namesDomain = { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] } as const;

export const webhooksRouter = router({
  list: adminProcedure(ListWebhooks)
    .meta(
      rest('GET', '/webhooks', {
        tag,
        summary: 'List webhooks',
        isPaginated: true,
        isOpenToScopedKeys: true,
        errors: { 403: [...namesDomain[403]], 404: [...namesDomain[404]] },
      }),
    )
    .output(WebhookPage)
    .query(({ ctx, input }) => listWebhooks(ctx, input)),

  create: adminProcedure(CreateWebhook)
    .meta(
      rest('POST', '/webhooks', {
        tag,
        summary: 'Add a webhook',
        description: 'The webhook gets events from now on. The secret is returned only in this response.',
        status: 201,
        audit: 'webhook.create',
        isOpenToScopedKeys: true,
        errors: { 403: [...namesDomain[403], 'DOMAIN_INACTIVE'], 404: [...namesDomain[404]] },
      }),
    )
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createWebhook(ctx, input)),

  export: adminProcedure(ExportWebhooks)
    .meta(
      rest('GET', '/webhooks/export', {
        tag,
        summary: 'Export webhooks as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys: true,
        errors: { 403: [...namesDomain[403]], 404: [...namesDomain[404]] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportWebhooks(ctx, input)),

  get: adminProcedure(ById)
    .meta(
      rest('GET', '/webhooks/{id}', {
        tag,
        versioned: record,
        summary: 'Get a webhook',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Webhook)
    .query(({ ctx, input }) => getWebhook(ctx, input)),

  update: adminProcedure(UpdateWebhook)
    .meta(
      rest('PATCH', '/webhooks/{id}', {
        tag,
        versioned: record,
        summary: 'Update a webhook',
        description:
          'Changes only the supplied fields. An inactive webhook gets no new events, and its due deliveries are on hold.',
        audit: 'webhook.update',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Webhook)
    .mutation(({ ctx, input }) => updateWebhook(ctx, input)),

  delete: adminProcedure(ById)
    .meta(
      rest('DELETE', '/webhooks/{id}', {
        tag,
        versioned: record,
        summary: 'Delete a webhook',
        description: 'Cancels its retries immediately.',
        audit: 'webhook.delete',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteWebhook(ctx, input)),

  rotateSecret: adminProcedure(RotateSecret)
    .meta(
      rest('POST', '/webhooks/{id}/rotate-secret', {
        tag,
        summary: 'Rotate the secret of a webhook',
        description:
          'The new secret is returned only in this response. During the grace period, deliveries are signed with the old ' +
          'secret too: in `X-Service-Signature-Previous`, and as the second signature in `webhook-signature`.',
        audit: 'webhook.rotate_secret',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(RotatedSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  test: adminProcedure(TestWebhook)
    .meta(
      rest('POST', '/webhooks/{id}/test', {
        tag,
        summary: 'Send a test event',
        description: 'Makes one attempt immediately, even if the webhook is inactive, and returns its result.',
        audit: 'webhook.test',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Delivery)
    .mutation(({ ctx, input }) => testWebhook(ctx, input)),

  replayFailed: adminProcedure(ReplayFailed)
    .meta(
      rest('POST', '/webhooks/{id}/replay', {
        tag,
        summary: 'Replay abandoned deliveries',
        audit: 'webhook.replay_failed',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Replayed)
    .mutation(({ ctx, input }) => replayFailed(ctx, input)),

  deliveries: adminProcedure(ListDeliveries)
    .meta(
      rest('GET', '/webhooks/{id}/deliveries', {
        tag,
        summary: 'List the deliveries of a webhook',
        isPaginated: true,
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(DeliveryPage)
    .query(({ ctx, input }) => listDeliveries(ctx, input)),

  exportDeliveries: adminProcedure(ExportDeliveries)
    .meta(
      rest('GET', '/webhooks/{id}/deliveries/export', {
        tag,
        summary: 'Export the deliveries of a webhook as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportDeliveries(ctx, input)),

  delivery: adminProcedure(ByDelivery)
    .meta(
      rest('GET', '/webhooks/{id}/deliveries/{delivery_id}', {
        tag,
        summary: 'Get a delivery with its request',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(DeliveryRequest)
    .query(({ ctx, input }) => getDelivery(ctx, input)),

  replay: adminProcedure(ByDelivery)
    .meta(
      rest('POST', '/webhooks/{id}/deliveries/{delivery_id}/replay', {
        tag,
        summary: 'Replay a delivery',
        description:
          'Keeps its ID and gets new retries. A delivery that is waiting for a retry is attempted immediately.',
        audit: 'webhook.replay',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Delivery)
    .mutation(({ ctx, input }) => replayDelivery(ctx, input)),
});
