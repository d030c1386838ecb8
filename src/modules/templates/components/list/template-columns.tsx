import { Cell, Clipped, RowLink } from '@/components/data-table/cells';
import { updatedColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { TimeAgo } from '@/components/values/time-ago';
import type { TemplateSummary } from '../../schema';
import { PublishedMark } from '../published-mark';

export const TEMPLATE_COLUMNS: DataTableColumn<TemplateSummary>[] = [
  {
    header: 'Template',
    width: 240,
    maxWidth: 400,
    mobile: 'lead',
    skeletonWidth: 136,
    cell: ({ id, name }) => (
      <Cell>
        <RowLink href={`/templates/${id}`}>
          <Clipped text={name} className="strong mono" />
        </RowLink>
      </Cell>
    ),
  },
  {
    header: 'Subject',
    isOptional: true,
    skeletonWidth: 200,
    cell: ({ subject }) => <Clipped text={subject} />,
  },
  {
    header: 'Domain',
    width: 200,
    maxWidth: 304,
    mobile: 'under',
    isOptional: true,
    skeletonWidth: 120,
    cell: ({ domain }) => <Clipped text={domain} className="mono" />,
  },
  {
    header: 'Published',
    width: 200,
    mobile: 'side',
    skeletonWidth: 96,
    cell: (template) => <PublishedMark template={template} />,
  },
  { ...updatedColumn(), cell: ({ updated_at }) => <TimeAgo iso={updated_at} /> },
];
