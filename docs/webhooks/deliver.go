// Delivers one event: go run deliver.go. Needs BASE_URL, APP_CODE, SECRET in the environment, and the standard library alone.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type event struct {
	EventType string         `json:"event_type"`
	Data      map[string]any `json:"data"`
}

func main() {
	// Serialized once: these bytes are signed, and these are sent.
	body, err := json.Marshal(event{"invoice.paid", map[string]any{"number": "2026/117", "customer": "Ação Lda", "total": 1249.90}})
	if err != nil {
		log.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("SECRET")))
	mac.Write(body)

	request, err := http.NewRequest("POST", os.Getenv("BASE_URL")+"/api/v1/webhooks/"+os.Getenv("APP_CODE"), bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	id := os.Getenv("EVENT_ID")
	if id == "" {
		id = rand.Text()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
	request.Header.Set("X-Event-ID", id)
	request.Header.Set("X-Timestamp", time.Now().UTC().Format(time.RFC3339))

	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%d\n", text, answer.StatusCode)
}
