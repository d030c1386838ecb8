import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { adminProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { getDelivery, listDeliveries, replayDelivery, replayFailed, testWebhook } from './deliveries';
import { deliveryList, webhookList } from './lists';
import {
  ByDelivery,
  CreatedWebhook,
  CreateWebhook,
  Delivery,
  DeliveryFilters,
  DeliveryRequest,
  ListedWebhook,
  Replayed,
  ReplayFailed,
  RotatedSecret,
  RotateSecret,
  TestWebhook,
  UpdateWebhook,
  Webhook,
  WebhookFilters,
} from './schema';
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, rotateSecret, updateWebhook } from './service';

const tag = 'Webhooks';
const rest = restOf(tag);
const record = versioned('webhook', getWebhook);

const webhooks = listProcedures(webhookList, {
  procedure: adminProcedure,
  item: ListedWebhook,
  filters: WebhookFilters,
  find: listWebhooks,
  tag,
  isOpenToScopedKeys: true,
});
const deliveries = listProcedures(deliveryList, {
  procedure: adminProcedure,
  item: Delivery,
  filters: DeliveryFilters,
  find: listDeliveries,
  tag,
  isOpenToScopedKeys: true,
});

export const webhooksRouter = router({
  list: webhooks.list,

  create: adminProcedure(CreateWebhook)
    .meta(
      rest('POST', '/webhooks', {
        summary: 'Add a webhook',
        description: 'The webhook gets events from now on. The secret is returned only in this response.',
        status: 201,
        audit: 'webhook.create',
        confirmation: null,
        isOpenToScopedKeys: true,
        errors: { 403: ['DOMAIN_INACTIVE'] },
      }),
    )
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createWebhook(ctx, input)),

  export: webhooks.export,

  get: adminProcedure(ById)
    .meta(
      rest('GET', '/webhooks/{id}', {
        versioned: record,
        summary: 'Get a webhook',
        isOpenToScopedKeys: true,
      }),
    )
    .output(Webhook)
    .query(({ ctx, input }) => getWebhook(ctx, input)),

  update: adminProcedure(UpdateWebhook)
    .meta(
      rest('PATCH', '/webhooks/{id}', {
        versioned: record,
        summary: 'Update a webhook',
        description:
          'Changes only the supplied fields. An inactive webhook gets no new events, and its due deliveries are on hold.',
        audit: 'webhook.update',
        confirmation: null,
        isOpenToScopedKeys: true,
      }),
    )
    .output(Webhook)
    .mutation(({ ctx, input }) => updateWebhook(ctx, input)),

  delete: adminProcedure(ById)
    .meta(
      rest('DELETE', '/webhooks/{id}', {
        versioned: record,
        summary: 'Delete a webhook',
        description: 'Cancels its retries immediately.',
        audit: 'webhook.delete',
        isOpenToScopedKeys: true,
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteWebhook(ctx, input)),

  rotateSecret: adminProcedure(RotateSecret)
    .meta(
      rest('POST', '/webhooks/{id}/rotate-secret', {
        summary: 'Rotate the secret of a webhook',
        description:
          'The new secret is returned only in this response. During the grace period, deliveries are signed with the old ' +
          'secret too: in `X-Service-Signature-Previous`, and as the second signature in `webhook-signature`. Rotating again ' +
          'ends the grace period: deliveries are signed with two secrets at most.',
        audit: 'webhook.rotate_secret',
        confirmation: 'The endpoint must check signatures with the new secret.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(RotatedSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  test: adminProcedure(TestWebhook)
    .meta(
      rest('POST', '/webhooks/{id}/test', {
        summary: 'Send a test event',
        description: 'Makes one attempt immediately, even if the webhook is inactive, and returns its result.',
        audit: 'webhook.test',
        confirmation: null,
        isOpenToScopedKeys: true,
      }),
    )
    .output(Delivery)
    .mutation(({ ctx, input }) => testWebhook(ctx, input)),

  replayFailed: adminProcedure(ReplayFailed)
    .meta(
      rest('POST', '/webhooks/{id}/replay', {
        summary: 'Replay abandoned deliveries',
        audit: 'webhook.replay_failed',
        confirmation: 'Sends all abandoned deliveries to the endpoint.',
        isOpenToScopedKeys: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Replayed)
    .mutation(({ ctx, input }) => replayFailed(ctx, input)),

  deliveries: deliveries.list,

  exportDeliveries: deliveries.export,

  delivery: adminProcedure(ByDelivery)
    .meta(
      rest('GET', '/webhooks/{id}/deliveries/{delivery_id}', {
        summary: 'Get a delivery with its request',
        isOpenToScopedKeys: true,
      }),
    )
    .output(DeliveryRequest)
    .query(({ ctx, input }) => getDelivery(ctx, input)),

  replay: adminProcedure(ByDelivery)
    .meta(
      rest('POST', '/webhooks/{id}/deliveries/{delivery_id}/replay', {
        summary: 'Replay a delivery',
        description:
          'Keeps its ID and gets new retries. A delivery that is waiting for a retry is attempted immediately.',
        audit: 'webhook.replay',
        confirmation: null,
        isOpenToScopedKeys: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Delivery)
    .mutation(({ ctx, input }) => replayDelivery(ctx, input)),
});
