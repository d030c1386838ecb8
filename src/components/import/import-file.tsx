'use client';

import { FileInput, Select } from '@mantine/core';
import { useState } from 'react';
import { CODE_PAGES, type CodePage, codePageOf, decodeUnicode } from '@/lib/csv/decode-file';
import { IconUpload } from '../icons/icons';

type Chosen = { file: File; bytes: Uint8Array<ArrayBuffer>; codePage: CodePage | null };

type ImportFileProps = {
  /** Called with the text of the file, and with nothing when it is removed. */
  onText: (text: string) => void;
};

/** A CSV file in any encoding. What isn't Unicode doesn't say which it has, so that one is guessed and can be chosen. */
export function ImportFile({ onText }: ImportFileProps) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const read = (file: File, bytes: Chosen['bytes'], codePage: CodePage) => {
    setChosen({ file, bytes, codePage });
    onText(new TextDecoder(codePage).decode(bytes));
  };
  const choose = async (file: File | null) => {
    if (!file) {
      setChosen(null);
      return onText('');
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = decodeUnicode(bytes);
    if (text === null) return read(file, bytes, codePageOf(navigator.language));
    setChosen({ file, bytes, codePage: null });
    onText(text);
  };
  return (
    <>
      <FileInput
        label="CSV file"
        placeholder="Choose a file"
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        clearable
        clearButtonProps={{ 'aria-label': 'Remove file' }}
        leftSection={<IconUpload size={16} stroke={1.5} />}
        value={chosen?.file ?? null}
        onChange={(file) => void choose(file)}
      />
      {chosen?.codePage && (
        <Select
          label="Encoding"
          description="The file isn’t Unicode. Check the letters in its text below."
          data={CODE_PAGES.map(({ value, label }) => ({ value, label }))}
          allowDeselect={false}
          value={chosen.codePage}
          onChange={(codePage) => read(chosen.file, chosen.bytes, codePage as CodePage)}
        />
      )}
    </>
  );
}
