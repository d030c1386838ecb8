'use client';

import { Select, Textarea } from '@mantine/core';
import { FieldPair } from '../layout/form-layout';
import { ImportFile } from './import-file';

type ImportFieldsProps = {
  domains: { id: string; name: string }[];
  domainId: string | null;
  csv: string;
  errors: { domain_id?: React.ReactNode; csv?: React.ReactNode };
  /** Which columns there are. */
  description: string;
  example: string;
  onChange: (name: 'domain_id' | 'csv', text: string) => void;
};

/** The domain, and a CSV file or its text. */
export function ImportFields(props: ImportFieldsProps) {
  const { domains, domainId, csv, errors, description, example, onChange } = props;
  return (
    <>
      <FieldPair>
        <Select
          label="Domain"
          className="mono-input"
          placeholder="Choose"
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          searchable={domains.length > 8}
          allowDeselect={false}
          error={errors.domain_id}
          value={domainId}
          onChange={(id) => onChange('domain_id', id ?? '')}
        />
        <ImportFile onText={(text) => onChange('csv', text)} />
      </FieldPair>
      <Textarea
        label="Or paste CSV"
        className="mono-input"
        description={description}
        placeholder={example}
        rows={4}
        spellCheck={false}
        error={errors.csv}
        value={csv}
        onChange={(event) => onChange('csv', event.currentTarget.value)}
      />
    </>
  );
}
