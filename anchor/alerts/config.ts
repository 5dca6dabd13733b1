// Config of alerts: who is told, and from which levels on. Secrets are never in it, only where they lie.

import type { Form } from '../../mesh/form.ts'
import type { Levels } from './rules.ts'

export interface WebhookConfig {
  readonly url: string
  /** what every message is signed with; read anew for each, so that it can be changed while we run */
  readonly secretFile: string
  /** whom to trust beside the public authorities */
  readonly caFile?: string
}

export interface MqttConfig {
  readonly url: string
  readonly prefix: string
  readonly user?: string
  readonly passwordFile?: string
  readonly caFile?: string
}

export interface AlertsConfig {
  readonly webhooks: readonly WebhookConfig[]
  readonly mqtt?: MqttConfig
  readonly repeatMinutes: number
  readonly levels: Levels
}

export const QUIET_ALERTS: AlertsConfig = { webhooks: [], repeatMinutes: 30, levels: { warn: 90, high: 97 } }

const PREFIX = /^[A-Za-z0-9_.-]{1,60}(\/[A-Za-z0-9_.-]{1,60}){0,5}$/
const URL_MAX = 1000

/**
 * Reads `"alerts": { "webhooks": [{ "url", "secretFile", "caFile"? }], "mqtt": { "url", "prefix", "user"?,
 * "passwordFile"?, "caFile"? }, "repeatMinutes": 30, "levels": { "warn": 90, "high": 97 } }`; all of it may be left out.
 */
export function readAlerts(form: Form): AlertsConfig {
  const fields = form.form('alerts')
  if (fields === undefined) return QUIET_ALERTS
  const webhooks = fields.forms('webhooks', readWebhook)
  const urls = webhooks.map(({ url }) => url)
  const twice = urls.find((url, i) => url !== '' && urls.indexOf(url) !== i)
  if (twice !== undefined) fields.complain('webhooks', `${twice} is there twice`)
  const mqtt = readMqtt(fields.form('mqtt'))
  const repeatMinutes = fields.whole('repeatMinutes', { min: 1, max: 1440, otherwise: QUIET_ALERTS.repeatMinutes })
  const levels = readLevels(fields.form('levels'))
  if (levels.warn >= levels.high) fields.complain('levels', 'warn is below high')
  fields.close()
  return { webhooks, ...(mqtt === undefined ? {} : { mqtt }), repeatMinutes, levels }
}

function readWebhook(form: Form): WebhookConfig {
  const url = form.text('url', 'an address, as in "https://pager.example/hook", without a password in it', text =>
    isUrl(text, ['https:', 'http:']),
  )
  return { url, secretFile: form.path('secretFile'), ...maybePath(form, 'caFile') }
}

function readMqtt(form: Form | undefined): MqttConfig | undefined {
  if (form === undefined) return undefined
  const url = form.text('url', 'an address, as in "mqtts://broker.example:8883", without a password in it', text =>
    isUrl(text, ['mqtt:', 'mqtts:']),
  )
  const prefix = form.text('prefix', 'words for topics, as in "site/gatemesh"', text => PREFIX.test(text))
  const user = form.kind('user') === 'none' ? undefined : form.text('user', 'a name', text => text !== '')
  const config = {
    url,
    prefix,
    ...(user === undefined ? {} : { user }),
    ...maybePath(form, 'passwordFile'),
    ...maybePath(form, 'caFile'),
  }
  form.close()
  return config
}

function readLevels(form: Form | undefined): Levels {
  const { warn, high } = QUIET_ALERTS.levels
  if (form === undefined) return QUIET_ALERTS.levels
  const levels = {
    warn: form.whole('warn', { min: 1, max: 99, otherwise: warn }),
    high: form.whole('high', { min: 1, max: 99, otherwise: high }),
  }
  form.close()
  return levels
}

function maybePath<K extends string>(form: Form, key: K): { readonly [P in K]?: string } {
  return form.kind(key) === 'none' ? {} : ({ [key]: form.path(key) } as { readonly [P in K]?: string })
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  const url = text.length <= URL_MAX && URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && protocols.includes(url.protocol) && url.username === '' && url.password === ''
}
