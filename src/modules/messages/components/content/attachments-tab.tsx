import { Button } from '@mantine/core';
import { IconDownload } from '@/components/icons/icons';
import { Badge } from '@/components/text/badge';
import { formatBytes } from '@/lib/format';
import type { MessageContent } from '../../content/schema';
import { Truncated } from './content-tab';
import classes from './content-tab.module.css';

type AttachmentsTabProps = { id: string; content: MessageContent };

export function AttachmentsTab({ id, content }: AttachmentsTabProps) {
  const { attachments } = content;
  if (attachments.length === 0) return <p className={`soft ${classes.content}`}>This message has no attachments.</p>;
  return (
    <div className={classes.content}>
      <Truncated content={content} />
      <ul className={classes.list}>
        {attachments.map(({ index, filename, content_type: type, size, inline }) => (
          <li key={index}>
            <div className={classes.name}>
              {filename} {inline && <Badge>Shown in the HTML</Badge>}
              <div className="quiet mono">{type}</div>
            </div>
            <span className="soft">{formatBytes(size)}</span>
            <Button
              component="a"
              href={`/api/v1/messages/${id}/attachments/${index}`}
              download
              leftSection={<IconDownload stroke={1.5} />}
              aria-label={`Download ${filename}`}
            >
              Download
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
