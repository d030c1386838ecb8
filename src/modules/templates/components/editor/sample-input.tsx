'use client';

import type { ReactNode } from 'react';
import { useState } from 'react';
import { CodeEditor } from '@/components/forms/code-editor';

type Sample = Record<string, unknown>;

type SampleInputProps = { value: Sample; error?: ReactNode; onChange: (value: Sample) => void };

/** Sample data as JSON. While it is none, the value is the text, which the schema refuses. */
export function SampleInput({ value, error, onChange }: SampleInputProps) {
  const [typed, setTyped] = useState<{ text: string; value: Sample } | null>(null);
  const text = typed && same(typed.value, value) ? typed.text : JSON.stringify(value, null, 2);
  return (
    <CodeEditor
      label="Sample data"
      description="JSON that the preview and tests use"
      minRows={6}
      value={text}
      error={error ?? (typeof value === 'string' ? 'This is no JSON object yet.' : undefined)}
      onChange={(next) => {
        const parsed = parse(next) as Sample;
        setTyped({ text: next, value: parsed });
        onChange(parsed);
      }}
    />
  );
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}
