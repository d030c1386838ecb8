import { useState } from 'react';
import { Notice } from '@/components/layout/notice';
import { SegmentedControl } from '@/components/segmented-control';
import { Badge } from '@/components/text/badge';
import { HtmlFrame } from '@/components/text/html-frame';
import { RawText } from '@/components/text/raw-text';
import { formatPlural } from '@/lib/format';
import type { MessageContent } from '../../content/schema';
import classes from './content-tab.module.css';

const VIEWS = { html: 'HTML', text: 'Text' };
type View = keyof typeof VIEWS;

export function ContentTab({ content }: { content: MessageContent }) {
  const { html, text } = content;
  const [chosen, setChosen] = useState<View>('html');
  const view: View = html === null ? 'text' : text === null ? 'html' : chosen;

  if (html === null && text === null) {
    return (
      <p className={`soft ${classes.content}`}>
        {content.protection === 'encrypted'
          ? 'This message is encrypted: only its recipient can read the text. Its parts are among the attachments.'
          : 'This message has no text. See its headers and attachments.'}
      </p>
    );
  }
  return (
    <div className={classes.content}>
      <div className={classes.bar}>
        {html !== null && text !== null && (
          <SegmentedControl label="View" value={view} options={VIEWS} onChange={setChosen} />
        )}
        {content.protection && (
          <Badge>{content.protection === 'signed' ? 'Signed, not verified here' : 'Encrypted'}</Badge>
        )}
        {view === 'html' && content.blocked_images > 0 && (
          <span className="quiet">
            {formatPlural(content.blocked_images, 'remote image', 'remote images')} blocked: loading one would tell the
            sender that the message was read.
          </span>
        )}
      </div>
      <Truncated content={content} />
      {view === 'html' && html !== null ? (
        <HtmlFrame html={html} title="HTML of the message" hasLinks />
      ) : (
        <RawText tabIndex={0}>{text}</RawText>
      )}
    </div>
  );
}

export function Truncated({ content }: { content: MessageContent }) {
  if (!content.truncated) return null;
  return (
    <Notice status="warning" title="Not everything is shown">
      <p>This message is very long or unusual. Download the .eml file to see all of it.</p>
    </Notice>
  );
}
