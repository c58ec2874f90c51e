/** Calls an operation of the API. */
export async function post<Result>(operation: string, body: unknown): Promise<Result> {
  const response = await fetch(`/rest/api/v1/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${operation} failed: ${response.status}`);
  }
  return (await response.json()) as Result;
}
