-- Breaks no version: beside the new one, the version before can’t list what was deleted while it includes a template, nor delete a domain with templates, and restores a deleted domain without its templates.
ALTER TYPE "deleted_record_kind" ADD VALUE 'template' BEFORE 'webhook';

ALTER TABLE "message" ADD COLUMN "template" JSONB;

CREATE TABLE "template" (
    "id" UUID NOT NULL,
    "domain_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "html_body" TEXT,
    "text_body" TEXT,
    "variables" JSONB NOT NULL DEFAULT '[]',
    "sample_data" JSONB NOT NULL DEFAULT '{}',
    "digest" TEXT NOT NULL,
    "published_version" INTEGER,
    "published_digest" TEXT,
    "published_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "template_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "template_version" (
    "id" UUID NOT NULL,
    "template_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "html_body" TEXT,
    "text_body" TEXT,
    "variables" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "published_by_email" TEXT NOT NULL,

    CONSTRAINT "template_version_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "template_domain_id_name_key" ON "template"("domain_id", "name");
CREATE INDEX "template_created_at_id_idx" ON "template"("created_at", "id");
CREATE UNIQUE INDEX "template_version_template_id_number_key" ON "template_version"("template_id", "number");

ALTER TABLE "template" ADD CONSTRAINT "template_domain_id_fkey" FOREIGN KEY ("domain_id") REFERENCES "domain"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "template_version" ADD CONSTRAINT "template_version_template_id_fkey" FOREIGN KEY ("template_id") REFERENCES "template"("id") ON DELETE CASCADE ON UPDATE CASCADE;
