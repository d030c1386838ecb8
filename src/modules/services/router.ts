import { Empty } from '@/lib/wire';
import { exportProcedure, listProcedures } from '@/server/list/list-procedures';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { operationList, serviceList } from './lists';
import { setRelay, testRelay } from './relay';
import {
  CreateOperation,
  GetOperation,
  Operation,
  OperationDetails,
  Orchestrator,
  RelayTest,
  SetRelay,
  TestRelay,
} from './schema';
import { createOperation, getOperation, getServices, listOperations } from './service';

const tag = 'Services';
const rest = restOf(tag);

const operations = listProcedures(operationList, {
  procedure: superAdminProcedure,
  item: Operation,
  find: listOperations,
  tag,
  isReadOnPrimary: true,
});

export const servicesRouter = router({
  get: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/orchestrator', {
        summary: 'Get the services of the mail server',
        isReadOnPrimary: true,
        description:
          'With their state, version and the files that differ from what the settings generate, as the mail agent last saw them, and the app’s instances.',
      }),
    )
    .output(Orchestrator)
    .query(({ ctx }) => getServices(ctx)),

  exportServices: exportProcedure(serviceList, {
    procedure: superAdminProcedure,
    input: Empty,
    items: async (ctx) => (await getServices(ctx)).services,
    tag,
    isReadOnPrimary: true,
  }),

  list: operations.list,

  export: operations.export,

  operation: superAdminProcedure(GetOperation)
    .meta(
      rest('GET', '/orchestrator/operations/{id}', {
        summary: 'Get an operation with its output',
        isReadOnPrimary: true,
        description: 'The output grows while the operation runs. Read it with `after` until `finished_at` is set.',
      }),
    )
    .output(OperationDetails)
    .query(({ ctx, input }) => getOperation(ctx, input)),

  create: superAdminProcedure(CreateOperation)
    .meta(
      rest('POST', '/orchestrator/operations', {
        summary: 'Start an operation',
        description:
          'The mail agent runs it. One operation at a time: while another one is queued or running, the answer is 409 with its `operation_id`.',
        status: 202,
        audit: 'operation.create',
        confirmation: 'Controls the services of a mail server, unless `dry_run` is true.',
        errors: { 400: ['VALIDATION_ERROR'], 409: ['ORCHESTRATOR_BUSY'], 503: ['MAIL_STACK_UNAVAILABLE'] },
      }),
    )
    .output(Operation)
    .mutation(({ ctx, input }) => createOperation(ctx, input)),

  setRelay: superAdminProcedure(SetRelay)
    .meta(
      rest('POST', '/orchestrator/relay', {
        summary: 'Set or remove the relay of the mail server',
        description:
          'An operation that writes `RELAY_HOST`, `RELAY_USER`, `RELAY_PASSWORD` and `RELAY_TLS` to the settings file on the mail server’s host and applies it. If that fails, the former settings are back. A container gets them from its environment instead.',
        status: 202,
        audit: 'operation.create',
        confirmation: 'Changes how all mail leaves the server.',
        errors: { 400: ['VALIDATION_ERROR'], 409: ['ORCHESTRATOR_BUSY'], 503: ['MAIL_STACK_UNAVAILABLE'] },
      }),
    )
    .output(Operation)
    .mutation(({ ctx, input }) => setRelay(ctx, input)),

  testRelay: superAdminProcedure(TestRelay)
    .meta(
      rest('POST', '/orchestrator/relay/test', {
        summary: 'Test the relay of the mail server',
        description:
          'The mail server connects to the relay and signs in as Postfix does, then hangs up without sending mail. It takes up to 25 seconds.',
        audit: 'relay.test',
        confirmation: 'Sends a test message by the relay.',
        errors: { 400: ['VALIDATION_ERROR'], 409: ['CONFLICT'], 503: ['MAIL_STACK_UNAVAILABLE'] },
      }),
    )
    .output(RelayTest)
    .mutation(({ ctx, input }) => testRelay(ctx, input)),
});
