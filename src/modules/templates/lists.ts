import type { List } from '@/lib/lists';
import type { TemplateSummary } from './schema';

export const templateList = {
  what: 'templates',
  path: '/templates',
  file: 'templates',
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
