'use client';

import { useComputedColorScheme } from '@mantine/core';
import { useMemo, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { Notice } from '@/components/layout/notice';
import { Skeleton } from '@/components/marks/skeleton';
import { SegmentedControl } from '@/components/segmented-control';
import { HtmlFrame } from '@/components/text/html-frame';
import { RawText } from '@/components/text/raw-text';
import { formatPlural } from '@/lib/format';
import { type ColorScheme, previewHtml } from './preview-html';
import classes from './preview-pane.module.css';
import type { Preview } from './use-preview';

const VIEWS = { html: 'HTML', text: 'Text' };
const WIDTHS = { wide: 'Wide', narrow: 'Narrow' };
const SCHEMES: Record<ColorScheme, string> = { light: 'Light', dark: 'Dark' };
const LABELS: Record<string, string> = { subject: 'Subject', html_body: 'HTML', text_body: 'Text' };

/** The message that the draft makes of the sample data. */
export function PreviewPane({ preview }: { preview: Preview }) {
  const [chosen, setView] = useState<keyof typeof VIEWS>('html');
  const [width, setWidth] = useState<keyof typeof WIDTHS>('wide');
  const own = useComputedColorScheme('light');
  const [chosenScheme, setScheme] = useState<ColorScheme | null>(null);
  const scheme = chosenScheme ?? own;
  const { data, error } = preview;
  const view = data?.html_body === null ? 'text' : chosen;
  return (
    <section className={classes.pane} aria-label="Preview">
      <h2 className={classes.title}>Preview</h2>
      <div className={classes.bar}>
        <SegmentedControl label="Part" value={view} options={VIEWS} onChange={setView} />
        {view === 'html' && (
          <>
            <SegmentedControl label="Width" value={width} options={WIDTHS} onChange={setWidth} />
            <SegmentedControl label="Colors" value={scheme} options={SCHEMES} onChange={setScheme} />
          </>
        )}
      </div>
      {error && <PreviewErrors error={error} />}
      {data ? (
        <div className={classes.message} data-outdated={error ? true : undefined}>
          <p className={classes.subject}>
            <span className="soft">Subject</span> <span className="strong">{data.subject}</span>
          </p>
          {view === 'html' && data.html_body !== null ? (
            <div className={classes.frame} data-width={width}>
              <HtmlPreview html={data.html_body} scheme={scheme} />
            </div>
          ) : (
            <RawText tabIndex={0}>{data.text_body}</RawText>
          )}
        </div>
      ) : (
        !error && <Skeleton width={200} />
      )}
    </section>
  );
}

/** Nothing is loaded, so that opening a template tells no other server about it. */
function HtmlPreview({ html, scheme }: { html: string; scheme: ColorScheme }) {
  const shown = useMemo(() => previewHtml(html, scheme), [html, scheme]);
  return (
    <>
      <HtmlFrame html={shown.html} title="Preview of the HTML" colorScheme={scheme} />
      {shown.blockedImages > 0 && (
        <p className={`quiet ${classes.note}`}>
          {formatPlural(shown.blockedImages, 'image isn’t', 'images aren’t')} loaded here. Send a test to see all.
        </p>
      )}
    </>
  );
}

function PreviewErrors({ error }: { error: unknown }) {
  const { fields, message } = toProblem(error);
  return (
    <div role="status">
      <Notice status="warning" title="The draft can’t be rendered">
        {fields.map((field) => (
          <p key={`${field.path} ${field.message}`}>
            {LABELS[field.path] ?? <code>{field.path}</code>}: {field.message}
          </p>
        ))}
        {fields.length === 0 && <p>{message}</p>}
      </Notice>
    </div>
  );
}
