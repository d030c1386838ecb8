import { z } from 'zod';
import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { templateList } from './lists';
import {
  CreateTemplate,
  GetTemplateVersion,
  PreviewTemplate,
  PublishTemplate,
  Template,
  TemplateFilters,
  TemplatePreview,
  TemplateSummary,
  TemplateVersion,
  TemplateVersionSummary,
  UpdateTemplate,
} from './schema';
import { createTemplate, deleteTemplate, getTemplate, listTemplates, previewTemplate, updateTemplate } from './service';
import { getVersion, listVersions, publishTemplate } from './versions';

const tag = 'Templates';
const rest = restOf(tag);
const record = versioned('template', getTemplate);
const isOpenToScopedKeys = true;

const templates = listProcedures(templateList, {
  procedure: authedProcedure,
  item: TemplateSummary,
  filters: TemplateFilters,
  find: listTemplates,
  tag,
  isOpenToScopedKeys,
});

export const templatesRouter = router({
  list: templates.list,

  create: authedProcedure(CreateTemplate)
    .meta(
      rest('POST', '/templates', {
        summary: 'Create a template',
        description: 'Creates a draft. Publish it to send messages with it.',
        status: 201,
        audit: 'template.create',
        confirmation: null,
        isOpenToScopedKeys,
        errors: { 403: ['DOMAIN_INACTIVE'], 409: ['CONFLICT'] },
      }),
    )
    .output(Template)
    .mutation(({ ctx, input }) => createTemplate(ctx, input)),

  export: templates.export,

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/templates/{id}', {
        versioned: record,
        summary: 'Get a template',
        isOpenToScopedKeys,
      }),
    )
    .output(Template)
    .query(({ ctx, input }) => getTemplate(ctx, input)),

  update: authedProcedure(UpdateTemplate)
    .meta(
      rest('PATCH', '/templates/{id}', {
        versioned: record,
        summary: 'Update a template',
        description: 'Changes only the supplied fields of the draft. Messages are sent with it once it is published.',
        audit: 'template.update',
        confirmation: null,
        isOpenToScopedKeys,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Template)
    .mutation(({ ctx, input }) => updateTemplate(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/templates/{id}', {
        versioned: record,
        summary: 'Delete a template',
        description: 'Scheduled messages that were made from it are sent.',
        audit: 'template.delete',
        isOpenToScopedKeys,
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteTemplate(ctx, input)),

  versions: authedProcedure(ById)
    .meta(
      rest('GET', '/templates/{id}/versions', {
        summary: 'List the versions of a template',
        description: 'The newest first. The newest 50 are kept, as far as they have up to 4 MB.',
        isOpenToScopedKeys,
      }),
    )
    .output(z.array(TemplateVersionSummary))
    .query(({ ctx, input }) => listVersions(ctx, input)),

  version: authedProcedure(GetTemplateVersion)
    .meta(
      rest('GET', '/templates/{id}/versions/{number}', {
        summary: 'Get a version of a template',
        isOpenToScopedKeys,
      }),
    )
    .output(TemplateVersion)
    .query(({ ctx, input }) => getVersion(ctx, input)),

  publish: authedProcedure(PublishTemplate)
    .meta(
      rest('POST', '/templates/{id}/publish', {
        versioned: record,
        summary: 'Publish a template',
        description:
          'Messages that are accepted from now on are sent with the draft, as a new version, or with an earlier `version`. The draft stays.',
        audit: 'template.publish',
        confirmation: 'Messages that are sent with the template have this version from then on.',
        isOpenToScopedKeys,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Template)
    .mutation(({ ctx, input }) => publishTemplate(ctx, input)),

  preview: authedProcedure(PreviewTemplate)
    .meta(
      rest('POST', '/templates/{id}/preview', {
        summary: 'Preview a template',
        description:
          'Renders the draft, or an earlier `version`, with its sample data. Fields that you supply are used instead of those of the template. Nothing is saved.',
        confirmation: null,
        isReading: true,
        isOpenToScopedKeys,
        errors: { 413: ['MESSAGE_TOO_LARGE'] },
      }),
    )
    .output(TemplatePreview)
    .query(({ ctx, input }) => previewTemplate(ctx, input)),
});
