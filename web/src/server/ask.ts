// Requests to the server that served this page, in the Prometheus API's envelope.

export class AskError extends Error {
  constructor(
    readonly status: number, // 0: no response
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
  get isNotServed(): boolean {
    return this.status === 404 && this.type !== "not_found";
  }
}

export interface Answer<T> {
  readonly data: T;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
}

interface Envelope<T> {
  status: "success" | "error";
  data: T;
  errorType?: string;
  error?: string;
  warnings?: string[];
  infos?: string[];
}

export type Params = Readonly<Record<string, string | number | null | undefined>>;

export function urlOf(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return `/api/v1/${path}${text ? `?${text}` : ""}`;
}

async function responseOf(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new AskError(0, "unreachable", "The server is not responding. Is it running?");
  }
}

function envelopeOf<T>(text: string): Envelope<T> | null {
  try {
    return JSON.parse(text) as Envelope<T>;
  } catch {
    return null;
  }
}

// Longer requests are sent as forms, because servers and proxies limit URL lengths.
const LONGEST_URL = 4000;

function asRequest(url: string): [string, RequestInit] {
  if (url.length <= LONGEST_URL) return [url, {}];
  const [path = "", query = ""] = url.split("?");
  return [path, { method: "POST", body: new URLSearchParams(query) }];
}

export async function askUrl<T>(url: string, signal?: AbortSignal): Promise<Answer<T>> {
  const [address, init] = asRequest(url);
  const response = await responseOf(address, signal ? { ...init, signal } : init);
  const text = await response.text();
  const envelope = envelopeOf<T>(text);
  if (!envelope || envelope.status !== "success") {
    const words = envelope?.error ?? (text.trim().slice(0, 300) || response.statusText);
    throw new AskError(response.status, envelope?.errorType ?? "", words);
  }
  return { data: envelope.data, warnings: envelope.warnings ?? [], infos: envelope.infos ?? [] };
}

export const ask = <T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<Answer<T>> =>
  askUrl<T>(urlOf(path, params), signal);

// For requests whose response has no body.
export async function command(method: string, path: string): Promise<void> {
  const response = await responseOf(`/api/v1/${path}`, { method });
  if (!response.ok) throw new AskError(response.status, "", (await response.text()).slice(0, 300));
}
