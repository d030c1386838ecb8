import type { List, ListInput } from '@/lib/lists';
import type { TemplateFilters, TemplateSummary } from './schema';

export const templateList = {
  what: 'templates',
  path: '/templates',
  sorts: ['created_at'],
  views: 'templates',
  csv: [
    'id',
    'domain',
    'name',
    'subject',
    'published_version',
    'published_at',
    'has_changes',
    'created_at',
    'updated_at',
  ],
} satisfies List<TemplateSummary>;
export type ListTemplates = ListInput<typeof templateList, typeof TemplateFilters>;
