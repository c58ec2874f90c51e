// Records the calls of calls.ndjson with go-vcr.
// Usage: drive_cassettes FOLDER NAME
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/dnaeon/go-vcr/recorder"
)

type call struct {
	Method, URL, Body string
	Headers           map[string]string
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func send(client *http.Client, one call) {
	request, err := http.NewRequest(one.Method, one.URL, strings.NewReader(one.Body))
	must(err)
	for name, value := range one.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	must(err)
	_, err = io.Copy(io.Discard, response.Body)
	must(err)
	response.Body.Close()
}

func main() {
	folder, name := os.Args[1], os.Args[2]
	calls, err := os.Open(filepath.Join(folder, "calls.ndjson"))
	must(err)
	tape, err := recorder.New(filepath.Join(folder, name))
	must(err)
	client := &http.Client{Transport: tape}
	lines := bufio.NewScanner(calls)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one call
		must(json.Unmarshal(lines.Bytes(), &one))
		send(client, one)
	}
	must(tape.Stop())
}
