import { Empty, ExportWhole } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { exportOperations, exportServices } from './export';
import {
  CreateOperation,
  ExportOperations,
  GetOperation,
  ListOperations,
  Operation,
  OperationDetails,
  OperationPage,
  Orchestrator,
} from './schema';
import { createOperation, getOperation, getServices, listOperations } from './service';

const tag = 'Services';

export const servicesRouter = router({
  get: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/orchestrator', {
        tag,
        summary: 'Get the services of the mail server',
        isReadOnPrimary: true,
        description:
          'With their state, version and the files that differ from what the settings generate, as the mail agent last saw them, and the app’s instances.',
      }),
    )
    .output(Orchestrator)
    .query(({ ctx }) => getServices(ctx)),

  exportServices: superAdminProcedure(ExportWhole)
    .meta(
      rest('GET', '/orchestrator/export', {
        tag,
        summary: 'Export the services of the mail server as CSV',
        file: 'text/csv; charset=utf-8',
        isReadOnPrimary: true,
      }),
    )
    .output(FileOutput)
    .query(({ ctx }) => exportServices(ctx)),

  list: superAdminProcedure(ListOperations)
    .meta(
      rest('GET', '/orchestrator/operations', {
        tag,
        summary: 'List operations',
        isReadOnPrimary: true,
        isPaginated: true,
      }),
    )
    .output(OperationPage)
    .query(({ ctx, input }) => listOperations(ctx, input)),

  export: superAdminProcedure(ExportOperations)
    .meta(
      rest('GET', '/orchestrator/operations/export', {
        tag,
        summary: 'Export operations as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        isReadOnPrimary: true,
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportOperations(ctx, input)),

  operation: superAdminProcedure(GetOperation)
    .meta(
      rest('GET', '/orchestrator/operations/{id}', {
        tag,
        summary: 'Get an operation with its output',
        isReadOnPrimary: true,
        description: 'The output grows while the operation runs. Read it with `after` until `finished_at` is set.',
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(OperationDetails)
    .query(({ ctx, input }) => getOperation(ctx, input)),

  create: superAdminProcedure(CreateOperation)
    .meta(
      rest('POST', '/orchestrator/operations', {
        tag,
        summary: 'Start an operation',
        description:
          'The mail agent runs it. One operation at a time: while another one is queued or running, the answer is 409 with its `operation_id`.',
        status: 202,
        audit: 'operation.create',
        errors: { 400: ['VALIDATION_ERROR'], 409: ['ORCHESTRATOR_BUSY'], 503: ['MAIL_STACK_UNAVAILABLE'] },
      }),
    )
    .output(Operation)
    .mutation(({ ctx, input }) => createOperation(ctx, input)),
});
