// What the server is asked, and what it answers (crates/tcpwhy/src/serve/app.rs).
import type { LimitName } from "../analysis";
import { current } from "../words";

export interface Capture {
  id: string;
  /** Path in the directory. */
  name: string;
  size: number;
  modified_ms: number;
  /** Once it was analysed. */
  answer: { limit: LimitName; share: number; connections: number } | null;
}

export interface Listing {
  /** Empty where it is a temporary one. */
  directory: string;
  max_upload: number;
  more: boolean;
  captures: Capture[];
}

export type Progress =
  | { state: "unknown" }
  | { state: "working"; name: string; part: number }
  | { state: "finished"; name: string }
  | { state: "failed"; name: string; why: string };

async function ask<T>(address: string): Promise<T> {
  // What is wrong is told in the language of the page.
  const answer = await fetch(address, { headers: { "Accept-Language": current() } });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as T;
}

export const listing = (): Promise<Listing> => ask("/api/captures");
export const progress = (id: string): Promise<Progress> => ask(`/api/progress/${encodeURIComponent(id)}`);

export interface Upload {
  /** Resolves to the capture that it became; fails with a sentence, or with none where the server is gone. */
  done: Promise<{ id: string; name: string }>;
  cancel: () => void;
}

/** Sends a file; `sent` hears how much of it is on its way, 0 to 1. */
export function upload(file: File, sent: (part: number) => void): Upload {
  // fetch tells nothing of how far a body is.
  const request = new XMLHttpRequest();
  const done = new Promise<{ id: string; name: string }>((resolve, reject) => {
    request.open("POST", `/api/captures?name=${encodeURIComponent(file.name)}`);
    request.upload.addEventListener("progress", (e) => sent(e.loaded / Math.max(e.total, 1)));
    request.addEventListener("error", () => reject(new Error()));
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    request.addEventListener("load", () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as { id: string; name: string });
      else reject(new Error(request.responseText.trim()));
    });
    request.setRequestHeader("Accept-Language", current());
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  });
  return { done, cancel: () => request.abort() };
}
