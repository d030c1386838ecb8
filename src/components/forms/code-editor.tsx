'use client';

import { Input } from '@mantine/core';
import { type ReactNode, type RefObject, useId, useRef } from 'react';
import classes from './code-editor.module.css';

const LINE_HEIGHT = 20;

type CodeEditorProps = {
  label: string;
  description?: ReactNode;
  value: string;
  error?: ReactNode;
  /** Line numbers with errors. */
  errorLines?: ReadonlySet<number>;
  /** The least lines that it shows. */
  minRows?: number;
  textarea?: RefObject<HTMLTextAreaElement | null>;
  onChange: (text: string) => void;
};

/** A textarea with line numbers. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, description, value, error, errorLines, minRows = 14, textarea, onChange } = props;
  const id = useId();
  const gutter = useRef<HTMLOListElement>(null);
  const count = value.split('\n').length;
  return (
    <Input.Wrapper id={id} label={label} description={description} error={error}>
      <div className={classes.editor} data-error={error ? true : undefined}>
        <ol ref={gutter} aria-hidden="true">
          {Array.from({ length: count }, (_, index) => (
            <li key={lineKey(index)} data-error-row={errorLines?.has(index + 1) || undefined}>
              {index + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={textarea}
          id={id}
          value={value}
          rows={Math.min(Math.max(count + 1, minRows), 32)}
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          aria-invalid={error ? true : undefined}
          onChange={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
    </Input.Wrapper>
  );
}

/** Focuses the textarea, selects a line and scrolls it into view. */
export function showLine(textarea: HTMLTextAreaElement | null, line: number): void {
  if (!textarea) return;
  const lines = textarea.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  textarea.focus();
  textarea.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  textarea.scrollTop = Math.max(0, (line - 4) * LINE_HEIGHT);
}

function lineKey(index: number): string {
  return `line-${index}`;
}
